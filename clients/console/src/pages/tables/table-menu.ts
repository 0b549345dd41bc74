import { Columns3, Download, Pencil, Plus, Radio, Trash2, Upload } from 'lucide-react';
import type { MenuGroup } from '../../design/menu-entries.tsx';

interface TableMenuOptions {
  /** Opens a dialog by its name in the address. */
  readonly open: (dialog: string) => void;
  /** Whether the caller may change tables. */
  readonly mayShape: boolean;
  readonly imports: boolean;
  /** Present while columns are hidden. */
  readonly showAll?: () => void;
}

/** What can be done with a whole table. */
export function tableMenu({ open, mayShape, imports, showAll }: TableMenuOptions): readonly MenuGroup[] {
  const rows = [
    { id: 'export', name: 'Export CSV', icon: Download, act: () => open('export') },
    ...(imports ? [{ id: 'import', name: 'Import CSV', icon: Upload, act: () => open('import') }] : []),
    ...(showAll === undefined ? [] : [{ id: 'show', name: 'Show all columns', icon: Columns3, act: showAll }]),
  ];
  if (!mayShape) return [{ entries: rows }];
  return [
    { entries: rows },
    {
      heading: 'Table',
      entries: [
        { id: 'column', name: 'Add column', icon: Plus, act: () => open('new-column') },
        { id: 'expose', name: 'Exposure', icon: Radio, act: () => open('expose') },
        { id: 'rename', name: 'Rename table', icon: Pencil, act: () => open('rename-table') },
        { id: 'drop', name: 'Drop table', icon: Trash2, isBad: true, act: () => open('drop-table') },
      ],
    },
  ];
}

/** What can be done with a column, besides how it is shown. */
export const columnMenu = (column: string, open: (dialog: string) => void): readonly MenuGroup[] => [
  {
    heading: 'Column',
    entries: [
      { id: 'edit', name: 'Edit column', icon: Pencil, act: () => open(`column:${column}`) },
      { id: 'drop', name: 'Drop column', icon: Trash2, isBad: true, act: () => open(`drop-column:${column}`) },
    ],
  },
];
