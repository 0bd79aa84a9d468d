"""Every training method. The only room that imports torch (`pip install cuebid[train]`)."""
