// Exists to be compiled with the precompiled headers that all targets reuse.
