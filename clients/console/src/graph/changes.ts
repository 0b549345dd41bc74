import { createStore } from '../store.ts';

/** Counts changes for which no feed exists. Each increment makes all shown queries run again. */
export const changes = createStore(0);

/** Makes all shown queries run again. */
export const somethingChanged = (): void => changes.set(changes.get() + 1);
