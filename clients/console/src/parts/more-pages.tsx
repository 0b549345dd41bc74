import { useEffect, useEffectEvent, useState } from 'react';
import type { Envelope } from '../graph/envelope.ts';

/** Where one is in a list of pages. */
export interface Pages {
  readonly after: string | undefined;
  readonly next: (cursor: string) => void;
  readonly back: (() => void) | undefined;
}

/** Pages of a list, gone through one after the other. @param of what is listed: another list begins at its first page */
export function usePages(of = ''): Pages {
  const [gone, setGone] = useState<{ readonly of: string; readonly trail: readonly string[] }>({ of, trail: [] });
  const trail = gone.of === of ? gone.trail : [];
  return {
    after: trail.at(-1),
    next: (cursor) => setGone({ of, trail: [...trail, cursor] }),
    back: trail.length === 0 ? undefined : () => setGone({ of, trail: trail.slice(0, -1) }),
  };
}

/**
 * Goes a page back when the row is gone after which a page begins, as it may be in a list of what comes and goes.
 *
 * @param error of reading the page
 */
export function useStandingPage({ back }: Pages, error: Envelope | undefined): void {
  const lost = error?.code === 'INVALID_CURSOR';
  const onLost = useEffectEvent(() => back?.());
  useEffect(() => {
    if (lost) onLost();
  }, [lost]);
}

interface MorePagesProps {
  readonly pages: Pages;
  readonly info: { readonly hasNextPage: boolean; readonly endCursor: string | null } | undefined;
  /** What is listed, where a page of the console has several lists. @default 'the list' */
  readonly list?: string;
}

/** Goes on to the next page, and back; shown only where there is one. */
export function MorePages({ pages, info, list = 'the list' }: MorePagesProps) {
  const next = info?.hasNextPage === true ? info.endCursor : null;
  if (next === null && pages.back === undefined) return null;
  return (
    <nav className="row" aria-label={`Pages of ${list}`}>
      <button type="button" className="slim" disabled={pages.back === undefined} onClick={pages.back}>
        Back
      </button>
      <button type="button" className="slim" disabled={next === null} onClick={() => pages.next(next!)}>
        Next
      </button>
    </nav>
  );
}
