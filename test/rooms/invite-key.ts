import { createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';

/** A key as a client makes it. Contract 02, section 2.8. */
export function newKey(id: string = randomUUID(), master: Buffer = randomBytes(32)) {
  const idBytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  const authSecret = Buffer.from(hkdfSync('sha256', master, idBytes, 'svc/room-invite/auth/v1', 32));
  return {
    id,
    key: `kri1_${Buffer.concat([idBytes, master]).toString('base64url')}`,
    authSecret: authSecret.toString('base64url'),
    authHash: createHash('sha256').update('svc/room-invite/auth-hash/v1').update(authSecret).digest('hex'),
  };
}
