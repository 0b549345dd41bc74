import './pager.css';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Envelope } from '../graph/envelope.ts';
import { Button } from './button.tsx';

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
    // A second press, before the next page is there, has the same cursor.
    next: (cursor) => setGone({ of, trail: trail.at(-1) === cursor ? trail : [...trail, cursor] }),
    back: trail.length === 0 ? undefined : () => setGone({ of, trail: trail.slice(0, -1) }),
  };
}

/**
 * Goes back a page when the row before the page no longer exists, which can happen in a list whose rows are removed.
 *
 * @param error the error of loading the page
 */
export function useExistingPage({ back }: Pages, error: Envelope | undefined): void {
  const lost = error?.code === 'INVALID_CURSOR';
  const onLost = useEffectEvent(() => back?.());
  useEffect(() => {
    if (lost) onLost();
  }, [lost]);
}

interface PagerProps {
  readonly pages: Pages;
  readonly info: { readonly hasNextPage: boolean; readonly endCursor: string | null } | undefined;
  /** Names the list for screen readers, for example “members”. */
  readonly list: string;
}

/** Buttons for the previous and the next page. A list of one page has none. */
export function Pager({ pages, info, list }: PagerProps) {
  const next = info?.hasNextPage === true ? info.endCursor : null;
  if (next === null && pages.back === undefined) return null;
  return (
    <nav className="pager" aria-label={`Pages of ${list}`}>
      <Button small icon={ChevronLeft} isDisabled={pages.back === undefined} onPress={() => pages.back?.()}>
        Previous
      </Button>
      <Button small icon={ChevronRight} isDisabled={next === null} onPress={() => next !== null && pages.next(next)}>
        Next
      </Button>
    </nav>
  );
}
