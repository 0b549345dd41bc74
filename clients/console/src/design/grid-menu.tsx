import { ArrowDown, ArrowUp, Copy, EyeOff, MoveHorizontal } from 'lucide-react';
import { copied } from './copied.ts';
import type { GridColumn, GridProps } from './grid-types.ts';
import { MenuAt } from './menu.tsx';
import type { MenuGroup } from './menu-entries.tsx';
import { announce, announceFailure } from './toast.tsx';

export interface OpenMenu<Row> {
  readonly column: GridColumn<Row>;
  readonly button: HTMLElement;
}

interface GridMenuProps<Row> {
  readonly setOrder: GridProps<Row>['setOrder'] | undefined;
  readonly hide: GridProps<Row>['hide'] | undefined;
  readonly columnMenu: GridProps<Row>['columnMenu'] | undefined;
  readonly open: OpenMenu<Row> | undefined;
  readonly close: () => void;
  readonly widen: (id: string, by: 1 | -1) => void;
}

/** The menu of a column: there is one for all columns, so that two hundred of them cost nothing. */
export function GridMenu<Row>({ open, close, widen, setOrder, hide, columnMenu }: GridMenuProps<Row>) {
  if (open === undefined) return null;
  const { column, button } = open;
  const { id, name } = column;
  const groups: MenuGroup[] = [];
  if (setOrder !== undefined)
    groups.push({
      entries: [
        { id: 'asc', name: 'Sort ascending', icon: ArrowUp, act: () => setOrder({ column: id, descending: false }) },
        { id: 'desc', name: 'Sort descending', icon: ArrowDown, act: () => setOrder({ column: id, descending: true }) },
      ],
    });
  groups.push({
    entries: [
      { id: 'wider', name: 'Make wider', icon: MoveHorizontal, act: () => widen(id, 1) },
      { id: 'narrower', name: 'Make narrower', icon: MoveHorizontal, act: () => widen(id, -1) },
      { id: 'copy', name: 'Copy name', icon: Copy, act: () => void copyText(name, 'The name of the column') },
      ...(hide === undefined ? [] : [{ id: 'hide', name: 'Hide column', icon: EyeOff, act: () => hide(column) }]),
    ],
  });
  return (
    <MenuAt
      label={`Column ${name}`}
      groups={[...groups, ...(columnMenu?.(column) ?? [])]}
      anchor={button}
      close={close}
    />
  );
}

/** Copies a text and says so in the corner. */
export async function copyText(text: string, what: string): Promise<void> {
  if (await copied(text)) announce(`${what} was copied.`);
  else announceFailure(`${what} was not copied.`, 'The browser denies the clipboard.');
}
