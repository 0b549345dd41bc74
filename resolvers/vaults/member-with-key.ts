import { z } from 'zod';
import type { MemberRow } from '../orgs/shared/member-row.ts';
import type { EncryptionKey } from './shared/member-keys.ts';
import { EncryptionKeyWire, encryptionKeyToWire } from './shared/wire.ts';

export interface MemberWithKey {
  readonly member: MemberRow;
  readonly key: EncryptionKey;
}

export const MemberKeyWire = EncryptionKeyWire.extend({ org_id: z.uuid(), principal_id: z.string() }).meta({
  id: 'MemberEncryptionKey',
});

export const memberKeyToWire = ({ member, key }: MemberWithKey) => ({
  ...encryptionKeyToWire(key),
  org_id: member.orgId,
  principal_id: member.principalId,
});
