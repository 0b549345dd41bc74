import { randomBytes } from 'node:crypto';

/** Prefixes of native ids. Organizations, grants and delegates are bare UUIDs instead. Contract 01, section 1.2. */
export type IdPrefix =
  | 'prn'
  | 'prj'
  | 'prs'
  | 'msg'
  | 'ses'
  | 'wap'
  | 'aud'
  | 'stp'
  | 'mail'
  | 'auth'
  | 'led'
  | 'run'
  | 'clm'
  | 'inc'
  | 'adt'
  | 'inq'
  | 'tsk'
  | 'ord'
  | 'txp'
  | 'nod'
  | 'bak'
  | 'cplan'
  | 'upl'
  | 'plan'
  | 'op'
  | 'rel'
  | 'dpl'
  | 'mbx'
  | 'whk'
  | 'whd'
  | 'fnrun'
  | 'fnatt'
  | 'snap'
  | 'ntf'
  | 'evt'
  | 'bnd'
  | 'drip'
  | 'cwlt'
  | 'ccall'
  | 'appv'
  | 'fbk'
  | 'job'
  | 'aih'
  | 'arc'
  | 'arci'
  | 'chci'
  | 'chrt'
  | 'chrd'
  | 'chnp'
  | 'pcr'
  | 'rct';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A new native id, `<prefix>_` and 26 characters: 48 bits of time, then 80 random bits, so that ids made one after
 * the other lie near each other in an index while none can be guessed.
 */
export function newId(prefix: IdPrefix, now = Date.now()): string {
  const random = randomBytes(10);
  let text = '';
  for (let shift = 45; shift >= 0; shift -= 5) text += alphabet[Math.floor(now / 2 ** shift) % 32];
  for (const half of [random.subarray(0, 5), random.subarray(5)]) {
    let bits = half.readUIntBE(0, 5);
    let part = '';
    for (let i = 0; i < 8; i++) {
      part = alphabet[bits % 32] + part;
      bits = Math.floor(bits / 32);
    }
    text += part;
  }
  return `${prefix}_${text}`;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text has the form of a UUID, in any version and letter case. */
export const isUuid = (text: string): boolean => uuid.test(text);

/** Project ids as they may arrive from outside. Contract 01, section 1.2. */
export const projectIdPattern = /^prj_[A-Za-z0-9_-]{1,64}$/;
