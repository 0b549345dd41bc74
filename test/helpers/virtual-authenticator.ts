import type { Page } from 'playwright-core';

interface HeldPasskey {
  readonly credentialId: string;
  readonly rpId?: string;
}

/** An authenticator in the machine of one page’s browser. */
export interface VirtualAuthenticator {
  /** The passkeys that it holds, as the browser tells of them. */
  readonly held: () => Promise<readonly HeldPasskey[]>;
  /** Has it hold a passkey of another one, as when a person has both pages on one device. */
  readonly take: (passkey: HeldPasskey) => Promise<void>;
  /** Whether it recognises its user from now on. */
  readonly recognises: (isUserVerified: boolean) => Promise<void>;
}

/** Gives a page an authenticator that holds passkeys and asks nobody. */
export async function addVirtualAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable');
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    held: async () => (await device.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    take: async (credential) => {
      await device.send('WebAuthn.addCredential', { authenticatorId, credential: credential as never });
    },
    recognises: async (isUserVerified) => {
      await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
    },
  };
}
