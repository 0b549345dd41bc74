import { useEffect, useEffectEvent, useState } from 'react';
import type { Envelope } from '../graph/envelope.ts';

/** The position in a paginated list. */
export interface Pages {
  readonly after: string | undefined;
  readonly next: (cursor: string) => void;
  readonly back: (() => void) | undefined;
}

/** Pages through a list. @param of identifies the list: another list starts at its first page */
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
 * Goes back a page when the row before the page no longer exists, which can happen in a list whose rows are removed.
 *
 * @param error the error of loading the page
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
  /** Name of the list, for a page with several lists. @default 'the list' */
  readonly list?: string;
}

/** Buttons for the next and the previous page, each shown only if that page exists. */
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
