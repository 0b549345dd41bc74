import { fileURLToPath } from 'node:url';
import { createGuardedFetch } from '../../core/guarded-fetch.ts';
import type { KeyRing } from '../../core/keys.ts';
import { createAiEngine } from '../../engines/ai/openai-engine.ts';
import { createArchives } from '../../engines/bundles/archives.ts';
import { jsonFile } from '../../engines/bundles/bundle-file.ts';
import { gatewayVersion } from '../../engines/bundles/gateway-version.ts';
import { createStripeProcessor } from '../../engines/cards/stripe-processor.ts';
import { createChains } from '../../engines/chains/chains.ts';
import { createCiIssuer } from '../../engines/ci/subject-token.ts';
import { createDnsResolver } from '../../engines/dns/resolver.ts';
import { createHostProbe } from '../../engines/edge/host-probe.ts';
import { createFaucet } from '../../engines/faucet/faucet.ts';
import { createImages } from '../../engines/images/images.ts';
import { createSigner, type Signer } from '../../engines/licences/signer.ts';
import { derivedSigningKeys } from '../../engines/licences/signing-keys.ts';
import type { Lightning } from '../../engines/lightning/lightning.ts';
import { createLnd } from '../../engines/lightning/lnd.ts';
import { createNwc } from '../../engines/lightning/nwc.ts';
import { createMailer } from '../../engines/mail/mailer.ts';
import { createLocalStore } from '../../engines/objects/local-store.ts';
import { createS3Store } from '../../engines/objects/s3-store.ts';
import { createPasswordHasher } from '../../engines/passwords/hasher.ts';
import { createSqlReader } from '../../engines/reading/sql-reader.ts';
import { createIdentityProviders } from '../../engines/sign-in/identity-providers.ts';
import { createKeyWrapper } from '../../engines/signers/key-wrapper.ts';
import { createSignerChains } from '../../engines/signers/signer-chains.ts';
import { createAuditor } from '../../engines/site-audit/auditor.ts';
import { ownToken } from '../../engines/site-audit/robots/user-agents.ts';
import { createPaymentProcessor } from '../../engines/x402/payment-processor.ts';
import type { CertificateAuthority } from '../../resolvers/hosts/services.ts';
import { createSenderTurns } from '../../resolvers/payments/sender-turns.ts';
import type { Config } from '../config.ts';
import { describeApi } from '../openapi.ts';
import type { Start } from './part.ts';
import type { Stores } from './stores.ts';

/** A wallet without an owner. */
const zeroAddress = '0x0000000000000000000000000000000000000000';

/** Everything that works on its own, without a request: hashers, readers, auditors, mailers, payment on chains. */
export function openEngines({ options, lifecycle }: Start, { db, keys, now }: Pick<Stores, 'db' | 'keys' | 'now'>) {
  const { config, version, log } = options;
  const passwords = createPasswordHasher({ cost: options.passwordCost });
  lifecycle.onClose(passwords.close);
  const sqlReader = createSqlReader();
  lifecycle.onClose(sqlReader.close);
  const images = createImages();
  lifecycle.onClose(images.close);
  const contact = config.publicBaseUrl === undefined ? '' : ` (+${config.publicBaseUrl})`;
  const auditor = createAuditor({ userAgent: `${ownToken}/${version}${contact}`, trial: options.auditTrial });
  lifecycle.onClose(auditor.close);
  const signer = licenceSigner(config, keys);
  const archives = createArchives({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    version: gatewayVersion,
    made: async () => [
      jsonFile('jwks.json', { keys: (await signer)?.published ?? [] }),
      // For any installation: each operator is paid at their own wallet.
      jsonFile('openapi.json', JSON.parse(describeApi({ baseUrl: undefined, payTo: zeroAddress }))),
    ],
  });
  lifecycle.onClose(archives.close);
  const mailer = createMailer({ smtpUrl: config.smtpUrl, from: config.mailFrom, log });
  lifecycle.onClose(mailer.close);
  const paymentProcessor = createPaymentProcessor({
    settlerKey: config.payments.settlerKey,
    facilitatorUrl: config.payments.facilitatorUrl,
    rpcUrls: config.payments.rpcUrls,
    confirmations: config.payments.confirmations,
    turns: createSenderTurns(db),
    now,
  });
  const { faucetKey, faucetAmount, rpcUrls } = config.payments;
  const faucetRpcUrl = rpcUrls['base-sepolia'];
  const faucet =
    faucetKey === undefined || faucetRpcUrl === undefined
      ? undefined
      : createFaucet({ key: faucetKey, rpcUrl: faucetRpcUrl, amount: faucetAmount, turns: createSenderTurns(db) });
  const dns = createDnsResolver({ servers: config.dnsServers });
  return {
    mailer,
    services: {
      certificateAuthority: authorityOf(config),
      dns,
      hostProbe: createHostProbe({ dns, ownAddresses: config.hostAddresses }),
      objects: config.s3 === undefined ? createLocalStore(config.dataDir) : createS3Store(config.s3),
      images,
      passwords,
      sqlReader,
      auditor,
      signer,
      archives,
      paymentProcessor,
      faucet,
      cards: config.billing.stripe === undefined ? undefined : createStripeProcessor(config.billing.stripe),
      lightning: lightningOf(config.billing),
      ai: createAiEngine(config.ai),
      chains: createChains({ ...config.payments, log }),
      signerKeys: createKeyWrapper(keys),
      signerChains: createSignerChains({ ...config.payments, now }),
      ciIssuer: createCiIssuer({
        issuer: config.ciIssuer,
        fetch: createGuardedFetch({ named: [new URL(config.ciIssuer).origin] }),
      }),
      identityProviders: createIdentityProviders({ settings: config.oidcProviders, now }),
    },
  };
}

function lightningOf({ lightning }: Config['billing']): Lightning | undefined {
  if (lightning === undefined) return undefined;
  return 'nwc' in lightning ? createNwc(lightning) : createLnd(lightning);
}

/** A key of the installation's own is for development: it would be lost with the root secret, and licences with it. */
function licenceSigner({ production, licenceKeys }: Config, keys: KeyRing): Promise<Signer> | undefined {
  if (production && licenceKeys === undefined) return undefined;
  return createSigner(licenceKeys ?? derivedSigningKeys(keys));
}

/** The authority is the operator's choice, so it may lie in a private network; the addresses that it names may not, unless its own. */
function authorityOf({ acme }: Config): CertificateAuthority | undefined {
  if (acme === undefined) return undefined;
  return { ...acme, fetch: createGuardedFetch({ named: [acme.directoryUrl], timeoutMs: 15_000 }) };
}
