import { decodePaymentRequiredHeader } from '@x402/core/http';
import { parsePaymentRequired } from '@x402/core/schemas';
import fc from 'fast-check';
import { domainSeparator } from 'viem';
import { expect, test } from 'vitest';
import { ChallengeForm, textsOf } from '../../engines/x402/challenge-texts.ts';
import { networks } from '../../engines/x402/networks.ts';
import { failedOutcome, paidOutcome } from '../../engines/x402/outcomes.ts';
import { challengeV1, challengeV2, encodeHeader } from '../../engines/x402/terms.ts';
import { someTerms } from '../helpers/payments.ts';

const payTo = '0x00000000000000000000000000000000000A0d17';

test('a challenge says the same price in both versions, as the protocol spells it', () => {
  const terms = someTerms({ payTo });
  const shared = {
    scheme: 'exact',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo,
    maxTimeoutSeconds: 120,
    extra: { name: 'USD Coin', version: '2' },
  };
  const { resource, description, mimeType } = terms;
  expect(challengeV1(terms, 'Payment required')).toEqual({
    x402Version: 1,
    error: 'Payment required',
    accepts: [{ ...shared, network: 'base', maxAmountRequired: '10000', resource, description, mimeType }],
  });
  expect(challengeV2(terms, 'Payment required')).toEqual({
    x402Version: 2,
    error: 'Payment required',
    resource: { url: resource, description, mimeType },
    accepts: [{ ...shared, network: 'eip155:8453', amount: '10000' }],
  });
});

test('the reference library takes both challenges, and the header', () => {
  const extensions = { 'payment-identifier': { info: { required: false }, schema: { type: 'object' } } };
  const terms = someTerms({ network: 'base-sepolia', description: 'Ein Sitz für 0,01 € – „dauerhaft“' });
  const challenge = challengeV2(terms, 'Payment required', extensions);
  expect(parsePaymentRequired(challengeV1(terms, 'Payment required')).success).toBe(true);
  expect(parsePaymentRequired(challenge)).toMatchObject({ success: true, data: { extensions } });
  const header = encodeHeader(challenge);
  expect(header).toMatch(/^[A-Za-z0-9+/]*={0,2}$/);
  expect(decodePaymentRequiredHeader(header)).toEqual(challenge);
});

test('a challenge that is made for any address says of each what one made for it alone says', () => {
  const extensions = { 'payment-identifier': { info: { required: false } } };
  const address = fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string({ unit: 'binary' }));
  // Of every length that three goes into, and that it does not.
  const reason = fc.constantFrom('', 'a', 'ab', 'ä', '€', '“€”', 'Payment required');
  fc.assert(
    fc.property(reason, address, address, (error, made, resource) => {
      const form = new ChallengeForm(someTerms({ payTo, resource: made }), error, extensions);
      const terms = someTerms({ payTo, resource });
      expect(form.for(resource)).toEqual(textsOf(challengeV1(terms, error), challengeV2(terms, error, extensions)));
    }),
    { numRuns: 200 },
  );
});

test.each(Object.values(networks))('the domain separator of $name is that of its token', ({ chainId, usdc }) => {
  const domain = { name: usdc.name, version: usdc.version, chainId, verifyingContract: usdc.address };
  expect(domainSeparator({ domain })).toBe(usdc.domainSeparator);
});

test('an outcome names the network as the version that was paid with does', () => {
  const settlement = {
    network: 'base',
    chainId: 8453,
    transaction: `0x${'ab'.repeat(32)}`,
    logIndex: 1,
    payer: '0x1a642f0e3c3af545e7acbd38b07251b3990914f1',
    amount: 10_000n,
    blockTime: new Date(0),
  } as const;
  const { transaction, payer } = settlement;
  expect(paidOutcome(1, settlement)).toEqual({ success: true, transaction, network: 'base', payer });
  expect(paidOutcome(2, settlement)).toEqual({
    success: true,
    transaction,
    network: 'eip155:8453',
    payer,
    amount: '10000',
  });
  expect(failedOutcome(2, 'base-sepolia', payer, 'settlement_pending')).toEqual({
    success: false,
    errorReason: 'settlement_pending',
    transaction: '',
    network: 'eip155:84532',
    payer,
  });
});
