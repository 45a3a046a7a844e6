"""The rating judge, stage by stage."""
