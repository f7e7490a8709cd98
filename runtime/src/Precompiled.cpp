// Exists to be compiled with the precompiled headers that targets reuse.
