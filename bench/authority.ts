/** What a server needs at the least to answer a session's bearer: its signature, its row, and the membership. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Key of session bearers, in hex; handed to the peers so that they can check what the gateway checks. */
const key = Buffer.from(process.env.SESSION_KEY ?? '', 'hex');

/** The session that a bearer stands for. @throws when it does not hold */
export function sessionOf(authorization: string): string {
  const [header = '', payload = '', mac = ''] = authorization.slice('Bearer '.length).split('.');
  const expected = createHmac('sha256', key).update(`${header}.${payload}`).digest();
  if (!timingSafeEqual(expected, Buffer.from(mac, 'base64url'))) throw new Error('Bad signature.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti: string; exp: number; aud: string };
  if (claims.exp * 1000 < Date.now() || claims.aud !== 'svc.control-plane.v1') throw new Error('Expired.');
  return claims.jti;
}

/** Condition on a session `s`: the one of `$1`, as long as it lives. */
export const liveSession = `s.id = $1 and s.kind = 'control_plane' and s.revoked_at is null and s.absolute_expires_at > now()`;
