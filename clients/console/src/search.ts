import { createStore, useStore } from './store.ts';

const search = createStore(location.search);
/** Called after each change of the address. */
export const searchChanged = () => search.set(location.search);
addEventListener('popstate', searchChanged);

/** The search of the address, with its question mark. */
export const usePageSearch = (): string => useStore(search);

/**
 * A state of a page that its address holds: filters, tabs, dialogs. A link leads to it, a reload keeps it, the back button
 * returns to it.
 *
 * @param usual what is meant when the address says nothing; that value is not written
 * @returns the value, and a function that changes it; a change adds an entry to the history unless it says otherwise
 */
export function useSearch(
  name: string,
  usual: string,
): readonly [string, (value: string, options?: { readonly replace?: boolean }) => void] {
  const value = new URLSearchParams(usePageSearch()).get(name) ?? usual;
  return [
    value,
    (next, { replace = false } = {}) => {
      if (next === value) return;
      const params = new URLSearchParams(location.search);
      if (next === usual) params.delete(name);
      else params.set(name, next);
      const query = params.size === 0 ? '' : `?${params}`;
      history[replace ? 'replaceState' : 'pushState'](null, '', location.pathname + query + location.hash);
      searchChanged();
    },
  ];
}
