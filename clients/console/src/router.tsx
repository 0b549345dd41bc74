import { type AnchorHTMLAttributes, type MouseEvent, useEffect, useRef } from 'react';
import { searchChanged } from './search.ts';
import { createStore, useStore } from './store.ts';

const base = '/console';
const readPath = () => location.pathname.slice(base.length).replace(/\/+$/, '') || '/';

const path = createStore(readPath());
addEventListener('popstate', () => path.set(readPath()));

/** The path of the page relative to the console's base. */
export const usePath = (): string => useStore(path);

/**
 * Navigates to a page of the console.
 *
 * @param to its path, with a search where the page has one
 * @param options.replace takes the place of the current address in the history. @default false
 */
export function go(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const address = base + (to === '/' ? '' : to);
  // A link to the current page adds no history entry.
  if (replace) history.replaceState(null, '', address);
  else if (to !== path.get() + location.search) history.pushState(null, '', address);
  path.set(readPath());
  searchChanged();
  scrollTo(0, 0);
}

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  readonly to: string;
}

/** A link to a page of the console. With a modifier key the browser handles it as any other link. */
export function Link({ to, onClick, ...rest }: LinkProps) {
  const current = usePath() === to.replace(/\?.*$/, '');
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={base + (to === '/' ? '' : to)} aria-current={current ? 'page' : undefined} {...rest} onClick={follow} />
  );
}

/**
 * Matches a path against a pattern such as `/orgs/:org` and returns the values of its parameters; undefined if it
 * does not match.
 */
export function match(pattern: string, given: string): Readonly<Record<string, string>> | undefined {
  const parts = pattern.split('/');
  const values = given.split('/');
  if (parts.length !== values.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const value = values[at]!;
    if (part.startsWith(':')) params[part.slice(1)] = decoded(value);
    else if (part !== value) return undefined;
  }
  return params;
}

/** A path typed by hand may be invalid percent-encoding. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Titles of what is shown, the topmost last: the sign-in page may cover another one. */
const titles: { readonly current: string }[] = [];

function showTitle(): void {
  const title = titles.at(-1);
  if (title !== undefined) document.title = `${title.current} · Console`;
}

/** Sets the title of the tab while the component is shown. */
export function useTitle(title: string): void {
  const own = useRef(title);
  useEffect(() => {
    titles.push(own);
    return () => {
      titles.splice(titles.indexOf(own), 1);
      showTitle();
    };
  }, []);
  useEffect(() => {
    own.current = title;
    showTitle();
  }, [title]);
}
