"""Motions that are made: noise with given parameters, and motions that follow a target spectrum."""
