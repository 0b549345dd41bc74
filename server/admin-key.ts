import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Config, ConfigError } from './config.ts';
import { readAdminKey } from './config-values.ts';
import { keptSecret } from './secret-file.ts';

/** The key of the platform admin, and the file that keeps it. */
export interface KeptAdminKey {
  readonly key: string;
  readonly path: string;
}

/**
 * The admin key of a development installation that keeps its secrets in the data folder, from `<dataDir>/admin.key`, which is
 * made at the first start. Undefined in production, and where the environment sets either secret.
 *
 * @throws ConfigError when the file is damaged
 */
export async function loadAdminKey({
  production,
  adminKey,
  secretKey,
  dataDir,
}: Pick<Config, 'production' | 'adminKey' | 'secretKey' | 'dataDir'>): Promise<KeptAdminKey | undefined> {
  if (production || adminKey !== undefined || secretKey !== undefined) return undefined;
  const path = join(dataDir, 'admin.key');
  const { value } = await keptSecret(path, {
    read: readAdminKey,
    make: () => randomBytes(24).toString('base64url'),
    damaged: () => new ConfigError([`SVC_ADMIN_KEY is not set and ${path} is damaged: remove the file.`]),
  });
  return { key: value, path };
}
