"""Planar blocks shared by the tests."""

from hypothesis import strategies as st

from mcrock.planar import PlanarBlock


@st.composite
def blocks(draw, off_centre: bool = True) -> PlanarBlock:
    """Blocks slender enough to rock on, with the COM off centre if wanted and any inertia."""
    half, height = draw(st.floats(0.05, 0.5)), draw(st.floats(0.5, 2.0))
    shift = draw(st.floats(-0.5, 0.5)) * half if off_centre else 0.0
    gyration = draw(st.floats(0.3, 0.9)) * height
    mass = draw(st.floats(1.0, 1000.0))
    return PlanarBlock(half + shift, half - shift, height, mass, mass * gyration**2)


def mirrored(block: PlanarBlock) -> PlanarBlock:
    """The block seen from behind."""
    return PlanarBlock(block.right, block.left, block.com_height, block.mass, block.inertia, block.gravity)
