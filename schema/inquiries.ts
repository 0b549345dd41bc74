import { type RecordedInquiry, recordInquiry } from '../resolvers/inquiries/record-inquiry.ts';
import { settlementAddress } from '../resolvers/payments/shared/settlement-address.ts';
import { builder } from './builder.ts';
import { changeField } from './operation-field.ts';

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

changeField('recordInquiry', recordInquiry, {
  type: InquiryRef,
  input: 'An inquiry for those who sell this gateway.',
  argument: 'The inquiry.',
  types: { kind: InquiryKindEnum },
});
