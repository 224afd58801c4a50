"""What `make wheel` leaves in dist: source archive, wheels, the packed npm package, and a list of what they bring."""
