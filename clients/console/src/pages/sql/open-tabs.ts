import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { hearAllKept, keep, keptNames, ownName, recall } from '../../kept.ts';
import { useSearch } from '../../search.ts';

/** The queries that are open. Their ids are in the address, their texts in this browser. */
export interface OpenTabs {
  readonly ids: readonly string[];
  readonly selected: string;
  readonly select: (id: string) => void;
  /** Opens a query, or selects it where it is open. */
  readonly open: (id: string) => void;
  readonly close: (id: string) => void;
  /** Has a saved query take the place of a draft. */
  readonly replace: (id: string, by: string) => void;
  /** Puts a draft beside a saved query, or in the place of another draft, without leaving the query that is shown. */
  readonly part: (id: string, draft: string) => void;
}

/** An id of a draft: a number. Ids of saved queries are UUIDs. */
export const isDraft = (id: string): boolean => /^\d+$/.test(id);

/** An id for a new draft: neither one of these, nor of a draft that this browser keeps. */
export function nextDraft(project: string, ids: readonly string[]): string {
  return String(Math.max(0, ...[...ids, ...keptDrafts(project)].filter(isDraft).map(Number)) + 1);
}

const isId = (id: string): boolean => /^[\w-]{1,64}$/.test(id);

export function useOpenTabs(project: string): OpenTabs {
  const [open, setOpen] = useSearch('open', '');
  const [tab, setTab] = useSearch('tab', '');
  // An address without queries, as in the sidebar, shows those whose text this browser keeps.
  const kept = useMemo(() => (open === '' ? keptDrafts(project) : []), [open, project]);
  const ids = open === '' ? [...kept] : [...new Set(open.split(',').filter(isId))];
  if (ids.length === 0) ids.push('1');
  const selected = ids.includes(tab) ? tab : ids[0]!;
  const show = (next: readonly string[], id: string, replace = false) => {
    setOpen(next.join(','), { replace: true });
    setTab(id, { replace });
  };
  return {
    ids,
    selected,
    select: (id) => setTab(id),
    open: (id) => show(ids.includes(id) ? ids : [...ids, id], id),
    close(id) {
      const at = ids.indexOf(id);
      const rest = ids.filter((one) => one !== id);
      if (rest.length === 0) rest.push(nextDraft(project, ids));
      show(rest, id === selected ? rest[Math.min(at, rest.length - 1)]! : selected, true);
    },
    replace: (id, by) =>
      show(
        ids.filter((one) => one !== by).map((one) => (one === id ? by : one)),
        by,
        true,
      ),
    part(id, draft) {
      const next = ids.flatMap((one) => (one !== id ? [one] : isDraft(id) ? [draft] : [id, draft]));
      show(next, id === selected ? draft : selected, true);
    },
  };
}

/** A text that is being written, kept in this browser. */
export interface Draft {
  readonly sql: string;
  /** The version of the saved query that it began from. */
  readonly version?: number | undefined;
}

const nameOf = (project: string, id: string) => ownName(`sql-draft ${project} ${id}`);

function draftFrom(kept: string | null): Draft | undefined {
  try {
    const draft = JSON.parse(kept ?? 'null') as Draft | null;
    return typeof draft?.sql === 'string' ? draft : undefined;
  } catch {
    return undefined;
  }
}

const draftOf = (project: string, id: string): Draft | undefined => draftFrom(recall(nameOf(project, id)));

const keepDraft = (project: string, id: string, draft: Draft | undefined): void =>
  keep(nameOf(project, id), draft === undefined ? null : JSON.stringify(draft));

/** Ids of the queries whose text this browser keeps, drafts first. */
function keptDrafts(project: string): string[] {
  const beginning = nameOf(project, '');
  const ids = keptNames(beginning).map((name) => name.slice(beginning.length));
  const order = (id: string) => (isDraft(id) ? Number(id) : Number.POSITIVE_INFINITY);
  return ids
    .filter((id) => isId(id) && draftOf(project, id)?.sql.trim())
    .sort((one, other) => order(one) - order(other) || (one < other ? -1 : 1));
}

/**
 * Drafts of a project, which are shown at once and kept. All tabs of the browser share them.
 *
 * @param parted called when another tab wrote over a text of this one, which is kept under the id `next` now
 */
export function useDrafts(project: string, open: readonly string[], parted: (id: string, next: string) => void) {
  const [known, setKnown] = useState<Readonly<Record<string, Draft | null>>>({});
  /** Texts that were written in this tab. */
  const own = useRef(new Map<string, string>());
  const show = (id: string, draft: Draft | undefined) => setKnown((before) => ({ ...before, [id]: draft ?? null }));
  const set = (id: string, draft: Draft | undefined) => {
    if (draft === undefined) own.current.delete(id);
    else own.current.set(id, draft.sql);
    keepDraft(project, id, draft);
    show(id, draft);
  };
  const hear = useEffectEvent((id: string, kept: string | null) => {
    const theirs = draftFrom(kept);
    const mine = own.current.get(id);
    if (mine === undefined || mine === theirs?.sql) return show(id, theirs);
    // The other tab has saved or closed the query. The text stays in this tab until it is closed here, too.
    if (theirs === undefined) return;
    const next = nextDraft(project, open);
    own.current.delete(id);
    show(id, theirs);
    if (mine === '') own.current.set(next, '');
    else set(next, { sql: mine });
    parted(id, next);
  });
  useEffect(() => hearAllKept(nameOf(project, ''), (id, kept) => hear(id, kept)), [project]);
  return {
    of: (id: string): Draft | undefined => (id in known ? (known[id] ?? undefined) : draftOf(project, id)),
    /** The draft as it is kept, which may be newer than what a component has rendered. */
    kept: (id: string): Draft | undefined => draftOf(project, id),
    set,
    /** Claims the id of a new draft without a text for this tab. */
    begin: (id: string) => void own.current.set(id, ''),
  };
}
