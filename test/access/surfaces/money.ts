import { randomUUID } from 'node:crypto';
import { putIssuer, putVoucher } from '../../vouchers/put-voucher.ts';
import type { Stage, Surfaces } from './surface.ts';

export const moneySurfaces = ({ params, service }: Stage): Surfaces => {
  const anybody = 'M M M F M M M M';
  const admin = 'A P P F P P P +';
  const issuer = async () => ({ issuer_id: await putIssuer(service) });
  const voucher = async () => ({ code: await putVoucher(service) });
  const caps = { voucher_max_usd_micros: 1, outstanding_max_usd_micros: 1, daily_max_usd_micros: 1 };
  const wallet = () => ({ wallet: params.address });
  const email = () => `${randomUUID()}@example.com`;
  const address = '0x00000000000000000000000000000000000000a1';
  return {
    'POST /vouchers/v1/redemptions': {
      cells: 'A + + F N F A F',
      prepare: voucher,
      body: () => ({ code: params.code, org_id: params.org_id }),
      audited: {
        action: 'voucher.redeemed',
        kind: 'voucher',
        objectId: 'voucher_id',
        written: 'select xmin::text from vouchers where id = $1::uuid',
      },
      field: () =>
        `mutation { redeemVoucher(input: { code: "${params.code}", org: "${params.org_id}" }) { voucherId } }`,
    },
    'POST /vouchers/v1': {
      cells: 'A F F F F F F F',
      body: () => ({ amount_usd_micros: 1, idempotency_key: 'one' }),
      field: () => 'mutation { mintVoucher(input: { amountUsdMicros: 1, idempotencyKey: "one" }) { code } }',
    },
    'GET /vouchers/v1': { cells: 'A F F F F F F F', field: () => '{ vouchers { edges { cursor } } }' },
    'POST /vouchers/v1/mints': {
      cells: anybody,
      body: () => ({}),
      field: () => 'mutation { mintPublicVoucher(input: {}) { code } }',
    },
    'POST /vouchers/v1/admin/issuers': {
      addition: { status: 201, reason: 'the contract has issuers, and no word of where they come from' },
      cells: admin,
      body: () => ({ name: randomUUID(), ...caps }),
      audited: {
        action: 'voucher_issuer.created',
        kind: 'voucher_issuer',
        objectId: 'issuer_id',
        written: 'select xmin::text from voucher_issuers where id = $1::uuid',
      },
      field: () => `mutation { createVoucherIssuer(input: { name: "${randomUUID()}", voucherMaxUsdMicros: 1,
        outstandingMaxUsdMicros: 1, dailyMaxUsdMicros: 1 }) { issuer { issuerId } } }`,
    },
    'GET /vouchers/v1/admin/issuers': {
      addition: { status: 200, reason: 'the platform admin sees who may make vouchers' },
      cells: 'A P P P P P P +',
      field: () => '{ voucherIssuers { edges { cursor } } }',
    },
    'PATCH /vouchers/v1/admin/issuers/:issuer_id': {
      addition: { status: 200, reason: 'an issuer can be stopped' },
      cells: admin,
      prepare: issuer,
      body: () => ({ disabled: true }),
      audited: {
        action: 'voucher_issuer.updated',
        kind: 'voucher_issuer',
        objectId: 'issuer_id',
        written: 'select xmin::text from voucher_issuers where id = $1::uuid',
      },
      field: () =>
        `mutation { updateVoucherIssuer(input: { issuerId: "${params.issuer_id}", disabled: true }) { issuerId } }`,
    },
    'POST /orgs/v1/email': {
      cells: '+ + + F + + + +',
      body: () => ({ email: email() }),
      audited: {
        action: 'org.created',
        kind: 'organization',
        objectId: 'id',
        written: 'select xmin::text from orgs where id = $1::uuid',
      },
      field: () => `mutation { createEmailOrganization(input: { email: "${email()}" }) { orgId } }`,
    },
    'POST /orgs/v1/:org_id/wallets': {
      cells: 'A + F F F F A +',
      body: wallet,
      field: () =>
        `mutation { linkWalletToOrganization(input: { org: "${params.org_id}", wallet: "${params.address}" }) { wallet } }`,
    },
    'POST /faucet/v1': {
      cells: 'U U U F U U U U',
      body: () => ({ address }),
      field: () => `mutation { requestFaucet(input: { address: "${address}" }) { transactionHash } }`,
    },
    'POST /faucet/v1/admin': {
      cells: 'A P P F P P P U',
      body: () => ({ address, amount: 1 }),
      field: () => `mutation { sendFromFaucet(input: { address: "${address}", amount: 1 }) { transactionHash } }`,
    },
  };
};
