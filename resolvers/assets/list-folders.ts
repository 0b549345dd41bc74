import { z } from 'zod';
import { openCursor, sealCursor } from '../../core/cursors.ts';
import { ServiceError } from '../../core/errors.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import type { ListPage } from '../../kernel/input/list-page.ts';
import { query } from '../../kernel/run/operation.ts';
import { assetPage, cursorView, ofProject } from './asset.ts';
import { askedFolders, folderOf } from './folders.ts';
import { assetActions } from './shared/actions.ts';

/** A folder of assets: what their keys have before one of their slashes. */
export interface AssetFolder {
  /** With its slash, for example `images/icons/`. */
  readonly prefix: string;
  /** Its own part alone, `icons`. */
  readonly name: string;
}

/** `GET /storage/v1/blobs/folders`. The contract is silent; object stores call the same `CommonPrefixes`. */
export const listAssetFolders = query({
  name: 'assets.folders',
  tool: 'assets_folders',
  command: 'assets folders',
  summary: 'The folders of a project’s assets: what keys have between a prefix and their next slash.',
  access: onNamedOrOwnProject(assetActions['project:assets:read']),
  input: z.object({
    ...ofProject,
    prefix: z
      .string()
      .max(1_024)
      .default('')
      .describe('Those in a folder, `images/`, or whose names begin like the rest of it, `images/ic`.'),
    ...assetPage,
  }),
  async handler(
    { services, org, project },
    { prefix, limit, cursor, before, from_end: fromEnd },
  ): Promise<ListPage<AssetFolder>> {
    const isBackward = before !== undefined || fromEnd;
    const view = cursorView(`asset-folders:${project.id}`);
    const from = isBackward ? before : cursor;
    const at = from === undefined ? null : openCursor(services.keys, view, from);
    if (at === undefined) throw new ServiceError('INVALID_CURSOR', { details: { field: 'cursor' } });
    const parent = folderOf(prefix);
    const found = await services.db.rows(
      askedFolders(isBackward, { orgId: org.id, projectId: project.id, prefix, parent, at, limit: limit + 1 }),
    );
    const page = found.slice(0, limit);
    if (isBackward) page.reverse();
    return {
      rows: page.map(({ folder }) => ({
        row: { prefix: folder, name: folder.slice(parent.length, -1) },
        cursor: sealCursor(services.keys, view, folder),
      })),
      hasMore: found.length > limit,
    };
  },
  wire: z.object({
    folders: z.array(z.object({ prefix: z.string(), name: z.string() }).meta({ id: 'AssetFolder' })),
    next_cursor: z.string().nullable(),
  }),
  toWire: ({ rows, hasMore }) => ({
    folders: rows.map(({ row: { prefix, name } }) => ({ prefix, name })),
    next_cursor: hasMore ? rows.at(-1)!.cursor : null,
  }),
});
