import fc from 'fast-check';

// A failed property says why in its own message: reports of CI show the first lines of an error, and no cause of it.
fc.configureGlobal({ includeErrorInReport: true });
