import type { ArchiveRowFragment, ImportStateFragment } from './archives.graphql.ts';

export type Archive = ArchiveRowFragment;
export type Import = ImportStateFragment;

/** Something that was found about an archive. */
export interface Found {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly path?: string | null | undefined;
}

/** The findings of a portability report. */
export const foundIn = (report: unknown): readonly Found[] =>
  (report as { readonly entries?: readonly Found[] } | null)?.entries ?? [];
