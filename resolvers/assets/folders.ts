import { type SQL, sql } from '../../db/drizzle.ts';
import { assets } from '../../db/schema/assets.ts';
import { computed, pick, statement, typed } from '../../db/sql.ts';

/** The folder of a key or a prefix, with its slash: `images/` of `images/logo.png`; empty at the top. */
export const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1);

/** The same of a row, as `assets_folder_idx` has it. */
export const folderColumn = sql`(regexp_replace(${assets.key}, '[^/]*$', '') collate "C")`;

const params = {
  ...pick(assets, 'orgId', 'projectId'),
  prefix: typed<string>('text'),
  /** Of the prefix. */
  parent: typed<string>('text'),
  /** The folder that the page is read from; null for an end of the list. */
  at: typed<string | null>('text'),
  limit: typed<number>('bigint'),
};

/**
 * Folders right below one, each found by one look at the index: what they hold is passed over. The character after the
 * slash follows all that is in a folder.
 */
const foldersIn = (isBackward: boolean) =>
  statement(
    `assets.folders-${isBackward ? 'backward' : 'forward'}`,
    { params, row: { folder: computed<string>('text', sql`found.folder`) } },
    ({ orgId, projectId, prefix, parent, at, limit }, row) => {
      const after = (folder: SQL) => sql`${folderColumn} >= left(${folder}, -1) || '0'`;
      const before = (folder: SQL) => sql`${folderColumn} < ${folder}`;
      const beyond = isBackward ? before : after;
      const child = sql`${parent}::text || split_part(substr(${folderColumn}, length(${parent}::text) + 1), '/', 1) || '/'`;
      const nearest = (where: SQL) => sql`select ${child} from ${assets}
        where ${assets.orgId} = ${orgId} and ${assets.projectId} = ${projectId}
          and ${folderColumn} > ${parent}::text and ${folderColumn} >= ${prefix}::text
          and ${folderColumn} < ${prefix}::text || chr(127) and ${where}
        order by ${folderColumn} ${isBackward ? sql`desc` : sql`asc`} limit 1`;
      return sql`with recursive found (folder) as (
          (${nearest(sql`(${at}::text is null or ${beyond(sql`${at}::text`)})`)})
          union all
          select (${nearest(beyond(sql`found.folder`))}) from found where found.folder is not null
        )
        select ${row} from found where found.folder is not null limit ${limit}`;
    },
  );

const lists = { forward: foldersIn(false), backward: foldersIn(true) };

/** The statement of a page of folders. */
export const askedFolders = (isBackward: boolean, given: Parameters<typeof lists.forward.with>[0]) =>
  lists[isBackward ? 'backward' : 'forward'].with(given);
