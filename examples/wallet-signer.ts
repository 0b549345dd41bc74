import { randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';

/** A wallet made on the spot, with what it shows a gateway to be let in. */
export function walletSigner(baseUrl: string) {
  const account = privateKeyToAccount(generatePrivateKey());

  /** Signs one request. Every change wants a signature of its own; a read may use one again for five minutes. */
  async function authorize(path: string): Promise<{ 'sign-in-with-x': string }> {
    const { hostname } = new URL(baseUrl);
    const now = new Date();
    const fields = {
      domain: hostname,
      address: account.address,
      statement: 'Sign in to the gateway.',
      uri: baseUrl + path,
      version: '1',
      nonce: randomBytes(16).toString('hex'),
    } as const;
    const expiresAt = new Date(now.getTime() + 5 * 60_000);
    const message = createSiweMessage({ ...fields, chainId: 84532, issuedAt: now, expirationTime: expiresAt });
    const proof = {
      ...fields,
      chainId: 'eip155:84532',
      type: 'eip191',
      issuedAt: now.toISOString(),
      expirationTime: expiresAt.toISOString(),
      signature: await account.signMessage({ message }),
    };
    return { 'sign-in-with-x': Buffer.from(JSON.stringify(proof)).toString('base64') };
  }

  return { address: account.address, authorize };
}
