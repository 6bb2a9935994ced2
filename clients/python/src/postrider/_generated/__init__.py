"""Modules that ``npm run clients`` generates from the OpenAPI document."""
