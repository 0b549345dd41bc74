import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Difference } from './run.ts';

const entry = z.strictObject({
  /** Group of the exchanges, such as `POST /orgs/v1`; `*` in it stands for any text. */
  group: z.string(),
  /** A text that the new answer holds, where not every difference of the group is meant. */
  holds: z.string().optional(),
  /** Why the answers may differ. */
  reason: z.string().min(10),
});

export type Accepted = readonly z.output<typeof entry>[];

/** Differences that a change intends, with the reason for each. @throws when the file is no such list */
export const readAccepted = async (path: string): Promise<Accepted> =>
  z.array(entry).parse(JSON.parse(await readFile(path, 'utf8')));

/** Whether a difference is one of those. */
export const accepts = (accepted: Accepted, { group, new: answer }: Difference): boolean =>
  accepted.some((one) => matches(one.group, group) && (one.holds === undefined || answer.includes(one.holds)));

const matches = (pattern: string, group: string): boolean => {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.\\+?^${}()|[\]]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(group);
};
