"""What goes over the wire: frames, TLS, links, and the mesh of all parties."""
