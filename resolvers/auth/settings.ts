import { sql } from '../../db/drizzle.ts';
import type { ProjectTarget } from '../../kernel/access/project-target.ts';
import type { Services } from '../../kernel/run/context.ts';
import { type AuthSettings, settingsJson } from './rows.ts';
import { authRow, authStatement } from './shared/auth-rows.ts';

/** What a project decides about sign-in, as it is now. */
export async function authSettings(services: Services, target: Pick<ProjectTarget, 'database'>): Promise<AuthSettings> {
  return (await authRow(services, target, readStatement.with({})))!;
}

const readStatement = authStatement(
  'settings_read',
  { answer: settingsJson },
  (_none, answer) => sql`select ${answer}`,
);
