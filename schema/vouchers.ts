import type { Voucher } from '../db/schema/vouchers.ts';
import { type CreatedIssuer, createVoucherIssuer } from '../resolvers/vouchers/create-issuer.ts';
import { listVoucherIssuers } from '../resolvers/vouchers/list-issuers.ts';
import { listVouchers } from '../resolvers/vouchers/list-vouchers.ts';
import type { MadeVoucher } from '../resolvers/vouchers/make-voucher.ts';
import { mintPublicVoucher } from '../resolvers/vouchers/mint-public-voucher.ts';
import { mintVoucher } from '../resolvers/vouchers/mint-voucher.ts';
import { type RedeemedVoucher, redeemVoucher } from '../resolvers/vouchers/redeem-voucher.ts';
import { updateVoucherIssuer } from '../resolvers/vouchers/update-issuer.ts';
import type { ShownIssuer } from '../resolvers/vouchers/wire.ts';
import { builder } from './builder.ts';
import { listConnection } from './connection.ts';
import { changeField, readField } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';

const VoucherRef = builder.objectRef<Voucher>('Voucher').implement({
  description: 'A code that is worth promotional credit, once.',
  fields: (t) => ({
    voucherId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    amountUsdMicros: t.float({ description: 'Worth, in micro-dollars.', resolve: ({ amount }) => Number(amount) }),
    ref: t.exposeString('ref', { nullable: true, description: 'The issuer’s own word for it.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it expires.' }),
    redeemedAt: t.expose('redeemedAt', { type: 'DateTime', nullable: true, description: 'When it was redeemed.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

const VoucherConnection = builder.connectionObject({ type: VoucherRef, name: 'VoucherConnection' });

const MadeVoucherRef = builder.objectRef<MadeVoucher>('MintedVoucher').implement({
  description: 'A voucher with its code.',
  fields: (t) => ({
    voucher: t.field({ type: VoucherRef, description: 'The voucher.', resolve: ({ voucher }) => voucher }),
    code: t.exposeString('code', { nullable: true, description: 'Shown once; null for one that was there already.' }),
  }),
});

const RedeemedVoucherRef = builder.objectRef<RedeemedVoucher>('RedeemedVoucher').implement({
  description: 'What a voucher has added to a balance.',
  fields: (t) => ({
    voucherId: t.exposeString('voucherId', { description: 'Native id of the voucher, a UUID.' }),
    amountUsdMicros: t.float({ description: 'Its worth, in micro-dollars.', resolve: ({ amount }) => Number(amount) }),
    balanceUsdMicros: t.float({
      description: 'What the organization can spend now, in micro-dollars.',
      resolve: ({ available }) => Number(available),
    }),
    alreadyRedeemed: t.exposeBoolean('already', { description: 'Whether the organization had redeemed it before.' }),
    redeemedAt: t.expose('redeemedAt', { type: 'DateTime', description: 'When it was redeemed.' }),
    organization: t.field({
      type: OrganizationRef,
      nullable: true,
      description: 'The organization that has it.',
      resolve: ({ orgId }) => orgId,
    }),
  }),
});

const IssuerRef = builder.objectRef<ShownIssuer>('VoucherIssuer').implement({
  description: 'A program that may make vouchers.',
  fields: (t) => ({
    issuerId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    voucherMaxUsdMicros: t.float({
      description: 'Most that one voucher may be worth, in micro-dollars.',
      resolve: ({ voucherMax }) => Number(voucherMax),
    }),
    outstandingMaxUsdMicros: t.float({
      description: 'Most that all open vouchers may be worth, in micro-dollars.',
      resolve: ({ outstandingMax }) => Number(outstandingMax),
    }),
    dailyMaxUsdMicros: t.float({
      description: 'Most that the vouchers of one day may be worth, in micro-dollars.',
      resolve: ({ dailyMax }) => Number(dailyMax),
    }),
    publicAmountUsdMicros: t.float({
      nullable: true,
      description: 'What a voucher is worth that any client may have, in micro-dollars; null where none may.',
      resolve: ({ publicAmount }) => (publicAmount === null ? null : Number(publicAmount)),
    }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when it may make none.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

const IssuerConnection = builder.connectionObject({ type: IssuerRef, name: 'VoucherIssuerConnection' });

const CreatedIssuerRef = builder.objectRef<CreatedIssuer>('CreatedVoucherIssuer').implement({
  description: 'A new issuer with its key.',
  fields: (t) => ({
    issuer: t.field({ type: IssuerRef, description: 'The issuer.', resolve: ({ issuer }) => issuer }),
    key: t.exposeString('key', { description: 'Its key, a bearer; shown once.' }),
  }),
});

changeField('redeemVoucher', redeemVoucher, {
  type: RedeemedVoucherRef,
  input: 'A voucher to redeem.',
  argument: 'The voucher.',
});

changeField('mintVoucher', mintVoucher, {
  type: MadeVoucherRef,
  input: 'A voucher to make.',
  argument: 'The voucher.',
});

changeField('mintPublicVoucher', mintPublicVoucher, {
  type: MadeVoucherRef,
  input: 'A voucher that no key is shown for.',
  argument: 'The voucher.',
});

changeField('createVoucherIssuer', createVoucherIssuer, {
  type: CreatedIssuerRef,
  input: 'A program that is to make vouchers.',
  argument: 'The issuer.',
});

changeField('updateVoucherIssuer', updateVoucherIssuer, {
  type: IssuerRef,
  input: 'What changes of an issuer.',
  argument: 'The changes.',
});

readField('vouchers', listVouchers, { type: VoucherConnection, paged: true, result: listConnection });

readField('voucherIssuers', listVoucherIssuers, { type: IssuerConnection, paged: true, result: listConnection });
