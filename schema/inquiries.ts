import { dropNulls } from '../core/drop-nulls.ts';
import { type RecordedInquiry, recordInquiry } from '../resolvers/inquiries/record-inquiry.ts';
import { settlementAddress } from '../resolvers/payments/shared/settlement-address.ts';
import { builder } from './builder.ts';
import { keyed, keyField } from './idempotency.ts';
import { fieldOf } from './operation-field.ts';
import { run } from './run.ts';

const InquiryRef = builder.objectRef<RecordedInquiry>('Inquiry').implement({
  description: 'An inquiry that was left. What it said is given to nobody.',
  fields: (t) => ({
    inquiryId: t.exposeString('id', { description: 'Native id, `inq_…`.' }),
    receivedAt: t.expose('receivedAt', { type: 'DateTime', description: 'When it was left.' }),
    payTo: t.string({
      description: 'The wallet that the turnkey buyout is paid to, on base.',
      resolve: (_inquiry, _args, { services }) => settlementAddress(services),
    }),
  }),
});

const InquiryKindEnum = builder.enumType('InquiryKind', {
  description: 'What an inquiry is about.',
  values: {
    ACQUISITION: { value: 'acquisition', description: 'Buying the gateway.' },
    LICENCE: { value: 'licence', description: 'Using it under a licence.' },
    QUESTION: { value: 'question', description: 'Anything else.' },
  } as const,
});

const RecordInquiryInput = builder.inputType('RecordInquiryInput', {
  description: 'An inquiry for those who sell this gateway.',
  fields: (t) => ({
    email: t.string({ description: 'Where the answer goes.' }),
    name: t.string({ required: false, description: 'Who asks, at most 200 characters.' }),
    company: t.string({ required: false, description: 'For whom, at most 200 characters.' }),
    buyerDomain: t.string({ required: false, description: 'Host name of the site that is to be bought for.' }),
    kind: t.field({
      type: InquiryKindEnum,
      required: false,
      description: 'What it is about; acquisition unless told.',
    }),
    offerUsd: t.float({ required: false, description: 'Dollars that are offered, with two decimals at most.' }),
    message: t.string({ required: false, description: 'At most 4000 characters.' }),
    website: t.string({ required: false, description: 'Left out by people: what has it is not kept.' }),
    ...keyField(t),
  }),
});

builder.mutationField('recordInquiry', (t) =>
  t.field({
    type: InquiryRef,
    nullable: true,
    ...fieldOf(recordInquiry),
    args: { input: t.arg({ type: RecordInquiryInput, description: 'The inquiry.' }) },
    resolve: (_root, { input: { idempotencyKey, buyerDomain, offerUsd, ...inquiry } }, ctx) =>
      run(
        recordInquiry,
        keyed(ctx, idempotencyKey ?? undefined),
        dropNulls({ ...inquiry, buyer_domain: buyerDomain, offer_usd: offerUsd }),
      ),
  }),
);
