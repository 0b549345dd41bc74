import type { Statement } from '../../db/pool.ts';
import type { Work } from '../unit-of-work.ts';
import { makeWalletPrincipal } from './wallet-principal.ts';

/**
 * The principal of a wallet that a change names; one that nobody has seen yet becomes an agent, as it would by signing
 * in. It exists exactly when the change does.
 *
 * @param address in lower case
 */
export async function principalOfWallet(work: Work, address: string): Promise<string> {
  const [known] = await work.rows<{ id: string }>(findStatement, [address]);
  if (known !== undefined) return known.id;
  await makeWalletPrincipal(work.client, work.services.newId, address);
  const [made] = await work.rows<{ id: string }>(findStatement, [address]);
  return made!.id;
}

const findStatement: Statement = {
  name: 'identity.principal-of-wallet',
  text: `select principal_id as id from authenticators where kind = 'wallet' and public_subject = $1`,
};
