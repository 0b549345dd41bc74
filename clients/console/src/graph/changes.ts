import { createStore } from '../store.ts';

/** How often something may have changed that no feed tells of: what is shown is asked anew each time. */
export const changes = createStore(0);

/** Has everything that is shown asked anew. */
export const somethingChanged = (): void => changes.set(changes.get() + 1);
