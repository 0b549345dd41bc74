import type { GraphQLSchema } from 'graphql';

/** A place in a text with what is wrong there. Offsets count UTF-16 units from 0. */
export interface EditorFault {
  readonly from: number;
  /** @default the end of the word at `from` */
  readonly to?: number;
  readonly message: string;
}

export interface EditorProps {
  /** Names the editor for screen readers. */
  readonly label: string;
  readonly language: 'sql' | 'json' | 'graphql' | 'text';
  readonly value: string;
  readonly onChange?: (value: string) => void;
  /** Called by Ctrl+Enter, or Cmd+Enter, with the selected text and its offset; empty when nothing is selected. */
  readonly onRun?: (selected: string, from: number) => void;
  /** Called with the selection when it changes, for buttons that act on it. */
  readonly onSelect?: (selected: string, from: number) => void;
  readonly faults?: readonly EditorFault[];
  /** A new object moves the cursor and the focus to its offset. */
  readonly reveal?: { readonly at: number } | undefined;
  readonly isReadOnly?: boolean;
  readonly placeholder?: string;
  /** Columns by table, which the completion of SQL offers. Give the same object until they change. */
  readonly tables?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The schema that GraphQL is checked against and completed from. Give the same object until it changes. */
  readonly schema?: GraphQLSchema | undefined;
  /** Lines that are seen at least. It grows up to the style property `--editor-height`. @default 6 */
  readonly lines?: number;
}

/** What the editor itself gets from the part that loads it. */
export interface CodeEditorProps extends EditorProps {
  /** The selection to begin with, and that the editor takes the focus. */
  readonly begins: { readonly from: number; readonly to: number } | undefined;
}
