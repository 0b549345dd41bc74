import { z } from 'zod';
import { onProject } from '../../kernel/access/access.ts';
import { moment, oneLine } from '../../kernel/input/fields.ts';
import { errorActions } from './shared/actions.ts';

/** Who reports what functions did: the runtime, by the project’s own key, and those who deploy. */
export const onReportedProject = onProject(
  errorActions['project:errors:write'],
  ({ project }: { project: string }) => project,
);

/** How much one report may tell. */
export const reportMax = 100;

/** Name of a function; any line of text is one that nobody has. */
export const functionName = oneLine(128).min(1, 'at least 1 character');

export const releaseId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
    'must be a release id: letters, digits, and . _ : - inside, at most 128',
  );

/** When it happened. The database’s clock decides what is later than now. */
export const happenedAt = moment
  .refine((at) => at.getUTCFullYear() >= 2000, 'must not be before the year 2000')
  .describe('When it happened; now when absent or later than now.');
