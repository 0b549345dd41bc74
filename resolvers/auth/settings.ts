import type { ProjectTarget } from '../../kernel/access/addressed-project.ts';
import type { Services } from '../../kernel/run/context.ts';
import { type AuthSettings, settingsJson } from './rows.ts';
import { type AuthStatement, authRow } from './shared/auth-rows.ts';

/** What a project decides about sign-in, as it is now. */
export async function authSettings(services: Services, target: Pick<ProjectTarget, 'database'>): Promise<AuthSettings> {
  return (await authRow<AuthSettings>(services, target, readStatement, []))!;
}

const readStatement: AuthStatement = { name: 'settings_read', text: `select ${settingsJson}` };
