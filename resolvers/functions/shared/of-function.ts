import { z } from 'zod';

/** A function, as inputs name it. */
export const ofFunction = z.string().min(1).max(128).describe('The function.');
