import { z } from 'zod';
import { ServiceError } from '../../core/errors.ts';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { anyKey, findAsset, ofProject } from './asset.ts';
import { assetActions } from './shared/actions.ts';
import { assetPlace } from './shared/asset-place.ts';
import { signatureOf } from './signed-url.ts';

interface SignedAsset {
  readonly url: string;
  /** At the host that the project has from the start. */
  readonly autoUrl: string;
  readonly expiresAt: Date;
  readonly seconds: number;
}

/** `POST /storage/v1/blob/:key/sign`. Contract 03, section 4.4. */
export const signAsset = query({
  name: 'assets.sign',
  tool: 'assets_sign',
  command: 'assets sign',
  summary: 'An address that opens an asset, public or private, for whoever has it, until it expires.',
  access: onNamedOrOwnProject(assetActions['project:assets:read']),
  input: z.object({
    ...ofProject,
    key: anyKey,
    ttl_seconds: z.int().min(60).max(604_800).default(3_600).describe('Seconds until it expires, 60 to 604800.'),
  }),
  async handler({ services, org, project }, { key, ttl_seconds: seconds }): Promise<SignedAsset> {
    const [found, place] = await Promise.all([
      findAsset(services.db.rows, { orgId: org.id, projectId: project.id }, key),
      assetPlace(services, { org, project }),
    ]);
    if (found === undefined) throw new ServiceError('ASSET_NOT_FOUND', { details: { key } });
    const expires = Math.floor(services.now().getTime() / 1000) + seconds;
    const path = key.split('/').map(encodeURIComponent).join('/');
    const signed = `/_blob/${path}?${signatureOf(services, project.id, key, expires)}`;
    return {
      url: place.preferredOrigin + signed,
      autoUrl: place.autoOrigin + signed,
      expiresAt: new Date(expires * 1000),
      seconds,
    };
  },
  wire: z.object({
    signed_url: z.string().meta({ secret: true }),
    expires_at: z.iso.datetime(),
    expires_in: z.int(),
  }),
  toWire: ({ url, expiresAt, seconds }) => ({
    signed_url: url,
    expires_at: expiresAt.toISOString(),
    expires_in: seconds,
  }),
});
