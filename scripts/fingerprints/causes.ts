import type { Cause } from './cause.ts';
import { engineCauses } from './engine-causes.ts';
import { laterCauses } from './later-causes.ts';
import { runtimeCauses } from './runtime-causes.ts';
import { wordedCauses } from './worded-causes.ts';

/** All of them; the order is that of the corpus. */
export const causes: readonly Cause[] = [...engineCauses, ...wordedCauses, ...runtimeCauses, ...laterCauses];
