import { type Feedback, listFeedback } from '../resolvers/feedback/list-feedback.ts';
import { describeFeedback, type FeedbackTerms, sendFeedback } from '../resolvers/feedback/send-feedback.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf } from './connection.ts';
import { InstallationRef } from './installation.ts';
import { changeField, fieldOf, readField } from './operation-field.ts';
import { run } from './run.ts';

const FeedbackRef = builder.objectRef<Feedback>('Feedback').implement({
  description: 'What somebody wrote to whoever runs the platform.',
  fields: (t) => ({
    feedbackId: t.exposeString('id', { description: 'Native id, `fbk_…`.' }),
    orgId: t.exposeString('orgId', { description: 'The organization of whoever wrote.' }),
    principalId: t.exposeString('principalId', { description: 'Who wrote.' }),
    projectId: t.exposeString('projectId', { nullable: true, description: 'The project that it is about.' }),
    message: t.exposeString('message', { description: 'What was said.' }),
    handle: t.exposeString('handle', { nullable: true, description: 'How whoever wrote wants to be called.' }),
    returnAddress: t.exposeString('returnAddress', { nullable: true, description: 'Where an answer reaches them.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was sent.' }),
  }),
});

const FeedbackConnection = builder.connectionObject({ type: FeedbackRef, name: 'FeedbackConnection' });

builder.objectField(InstallationRef, 'feedback', (t) =>
  t.field({
    type: FeedbackConnection,
    nullable: true,
    ...fieldOf(listFeedback),
    args: pageArgs,
    resolve: async (_installation, args, ctx) => listConnection(await run(listFeedback, ctx, listWindowOf(args)), args),
  }),
);

const TermsRef = builder.objectRef<FeedbackTerms>('FeedbackTerms').implement({
  description: 'How feedback is sent.',
  fields: (t) => ({
    messageBytesMax: t.exposeInt('messageBytes', { description: 'Longest message, in bytes of UTF-8.' }),
    perDay: t.exposeInt('perDay', { description: 'How often one organization may send.' }),
  }),
});

readField('feedbackTerms', describeFeedback, { type: TermsRef });

changeField('sendFeedback', sendFeedback, {
  type: builder.objectRef<{ readonly orgId: string }>('SendFeedbackPayload').implement({
    description: 'Feedback that was sent. What it said is given to nobody but whoever runs the platform.',
    fields: (t) => ({ orgId: t.exposeString('orgId', { description: 'The organization that it counts for.' }) }),
  }),
  input: 'Something for whoever runs the platform.',
  argument: 'What is said.',
});
