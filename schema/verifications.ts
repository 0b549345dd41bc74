import type { PublishedKey } from '../engines/licences/signer.ts';
import { getKeys } from '../resolvers/licences/get-keys.ts';
import { asDollars, priceOf } from '../resolvers/payments/shared/plans.ts';
import type { Unverified, Verification, Verified } from '../resolvers/verifications/verification.ts';
import { verifyTransaction } from '../resolvers/verifications/verify-transaction.ts';
import { builder } from './builder.ts';
import { changeField, readField } from './operation-field.ts';

const VerifiedRef = builder.objectRef<Verified>('LicensedPayment').implement({
  description: 'A payment on chain, and the licence that it bought.',
  fields: (t) => ({
    licenseKey: t.string({
      description: 'The licence: a signed token that can be checked offline with the published keys.',
      resolve: ({ licence }) => licence.jws,
    }),
    plan: t.string({ description: '`starter`, `pro` or `buyout`.', resolve: ({ licence }) => licence.plan }),
    planPrice: t.int({ description: 'Its price in dollars.', resolve: ({ licence }) => priceOf(licence.plan) }),
    payer: t.string({ description: 'Address that paid.', resolve: ({ payment }) => payment.payer }),
    asset: t.string({ description: 'Symbol of what was paid in.', resolve: ({ payment }) => payment.asset }),
    amount: t.string({
      description: 'What was paid, in the smallest unit of the asset.',
      resolve: ({ payment }) => payment.amount.toString(),
    }),
    amountUsd: t.string({ description: 'The same in dollars.', resolve: ({ payment }) => asDollars(payment) }),
    block: t.int({
      description: 'Number of the block; on TON of the masterchain’s.',
      resolve: ({ payment }) => payment.block,
    }),
    confirmations: t.int({
      description: 'How deep the block lay when the payment was verified.',
      resolve: ({ payment }) => payment.confirmations,
    }),
    domain: t.string({
      nullable: true,
      description: 'Host name that the licence is for: of the first `url` that came with the transaction.',
      resolve: ({ licence }) => licence.domain,
    }),
    issuedAt: t.field({
      type: 'DateTime',
      description: 'Time of the block.',
      resolve: ({ licence }) => licence.issuedAt,
    }),
    report: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'Full audit of the domain, for 30 days.',
      resolve: ({ report }) => report,
    }),
    reportError: t.exposeString('reportError', {
      nullable: true,
      description: 'Why there is no report: the code of a refusal.',
    }),
  }),
});

const isVerified = (verification: Verification): verification is Verified => verification.verified;
const unverifiedOf = (verification: Verification): Unverified | undefined =>
  isVerified(verification) ? undefined : verification;

const VerificationRef = builder.objectRef<Verification>('TransactionVerification').implement({
  description: 'What became of a transaction that was to pay for a licence.',
  fields: (t) => ({
    verified: t.exposeBoolean('verified', { description: 'Whether it paid.' }),
    network: t.string({
      description: '`base`, `ethereum`, `polygon`, `bsc` or `ton`.',
      resolve: (one) => (isVerified(one) ? one.payment.network : one.network),
    }),
    txHash: t.string({
      description: 'Hash of the transaction in its normal form.',
      resolve: (one) => (isVerified(one) ? one.payment.txHash : one.txHash),
    }),
    pending: t.boolean({
      description: 'Whether waiting may help.',
      resolve: (one) => unverifiedOf(one)?.pending ?? false,
    }),
    reason: t.string({
      nullable: true,
      description: 'Why it is not verified: a code, a colon and what it means.',
      resolve: (one) => unverifiedOf(one)?.reason ?? null,
    }),
    license: t.field({
      type: VerifiedRef,
      nullable: true,
      description: 'What it bought.',
      resolve: (one) => (isVerified(one) ? one : null),
    }),
  }),
});

const LicenceKeyRef = builder.objectRef<PublishedKey>('LicenceKey').implement({
  description: 'A public key of Ed25519, as a JSON Web Key.',
  fields: (t) => ({
    kid: t.exposeString('kid', { description: 'By which name licences and orders mean it.' }),
    kty: t.exposeString('kty', { description: '`OKP`: an octet key pair.' }),
    crv: t.exposeString('crv', { description: '`Ed25519`.' }),
    x: t.exposeString('x', { description: 'The key itself, base64url.' }),
    alg: t.exposeString('alg', { description: '`EdDSA`.' }),
    use: t.exposeString('use', { description: '`sig`: it verifies signatures.' }),
  }),
});

readField('licenceKeys', getKeys, { type: [LicenceKeyRef], result: (keys) => [...keys] });

changeField('verifyTransaction', verifyTransaction, {
  type: VerificationRef,
  input: 'A transaction that paid the settlement address.',
  argument: 'The transaction.',
  types: { network: 'String' },
  key: false,
});
