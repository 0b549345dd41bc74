import { type CommittedContent, commitContent } from '../resolvers/content/commit-content.ts';
import { type ContentPlan, planContent } from '../resolvers/content/plan-content.ts';
import type { ContentPart, MissingContent } from '../resolvers/content/shared/stage-uploads.ts';
import { builder } from './builder.ts';
import { changeField } from './operation-field.ts';

const ContentPartRef = builder.objectRef<ContentPart>('ContentPart').implement({
  description: 'Where one part of an object is sent to, by PUT.',
  fields: (t) => ({
    number: t.exposeInt('number', { description: 'From 1.' }),
    url: t.exposeString('url', { description: 'Good for an hour. Who has it may send this part.' }),
    start: t.exposeFloat('start', { description: 'Its first byte in the object.' }),
    end: t.exposeFloat('end', { description: 'Its last byte, which belongs to it.' }),
    arrived: t.exposeBoolean('arrived', { description: 'Whether it has come already: it need not be sent again.' }),
  }),
});

const MissingContentRef = builder.objectRef<MissingContent>('MissingContent').implement({
  description: 'An object that the project does not hold yet.',
  fields: (t) => ({
    sha256: t.exposeString('sha256', { description: 'SHA-256 of its bytes.' }),
    uploadId: t.exposeString('uploadId', { description: 'The upload, the same for all plans that name the object.' }),
    partSize: t.exposeFloat('partSize', { description: 'Length of every part but the last, in bytes.' }),
    parts: t.field({ type: [ContentPartRef], description: 'Its parts.', resolve: ({ parts }) => [...parts] }),
    urlsExpireAt: t.expose('urlsExpireAt', { type: 'DateTime', description: 'Until when the addresses are good.' }),
  }),
});

const ContentEntryRef = builder.objectRef<ContentPlan['entries'][number]>('ContentEntry').implement({
  description: 'One object that was asked for.',
  fields: (t) => ({
    sha256: t.exposeString('sha256', { description: 'SHA-256 of its bytes.' }),
    missing: t.exposeBoolean('missing', { description: 'Whether it has to be sent.' }),
  }),
});

const ContentPlanRef = builder.objectRef<ContentPlan>('ContentPlan').implement({
  description: 'What has to be sent for a deploy, and where to.',
  fields: (t) => ({
    planId: t.exposeString('planId', { description: 'Native id, `cplan_…`.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it can be committed.' }),
    missing: t.field({
      type: [MissingContentRef],
      description: 'What the project does not hold yet.',
      resolve: ({ missing }) => [...missing],
    }),
    entries: t.field({
      type: [ContentEntryRef],
      description: 'All that was asked for, in the same order.',
      resolve: ({ entries }) => [...entries],
    }),
  }),
});

const KeptContentRef = builder.objectRef<CommittedContent['promoted'][number]>('KeptContent').implement({
  description: 'An object that a project holds.',
  fields: (t) => ({
    sha256: t.exposeString('sha256', { description: 'SHA-256 of its bytes.' }),
    size: t.exposeFloat('size', { description: 'Its length in bytes.' }),
  }),
});

const CommittedContentRef = builder.objectRef<CommittedContent>('CommittedContent').implement({
  description: 'A plan whose bytes are the project’s now.',
  fields: (t) => ({
    planId: t.exposeString('planId', { description: 'Native id, `cplan_…`.' }),
    promoted: t.field({
      type: [KeptContentRef],
      description: 'What was added by it.',
      resolve: ({ promoted }) => [...promoted],
    }),
  }),
});

changeField('planContent', planContent, {
  type: ContentPlanRef,
  input: 'Bytes that a deploy needs.',
  argument: 'The bytes, by their digests.',
  types: { content: { name: 'ContentInput', description: 'Bytes, by their digest.' } },
});

changeField('commitContent', commitContent, {
  type: CommittedContentRef,
  input: 'A plan of content whose parts were sent.',
  argument: 'The plan.',
  ids: { plan: null },
});
