import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { connect } from '../../../../sdk/src/connection.ts';
import { type ContentPlanning, type UploadProgress, uploadThrough } from '../../../../sdk/src/upload-content.ts';
import { somethingChanged } from '../../graph/changes.ts';
import { type Envelope, envelopeOf, refusal } from '../../graph/envelope.ts';
import { sendChange, tookPlace } from '../../graph/send-change.ts';
import { holdPage } from '../../hold-page.ts';
import type { ChosenFile } from './chosen-files.ts';
import { type AssetVisibility, CommitUploadDocument, PlanUploadDocument, PutAssetDocument } from './storage.graphql.ts';

/** How the uploaded files are served. */
export interface UploadedAs {
  readonly visibility: AssetVisibility;
  readonly immutable: boolean;
}

export interface UploadState {
  readonly progress: UploadProgress;
  /** How many are published. */
  readonly published: number;
  /** Files that were refused, each for its own reason. */
  readonly refused: readonly { readonly key: string; readonly error: Envelope }[];
  /** Why all of it stopped. */
  readonly error?: Envelope | undefined;
  readonly isOver: boolean;
}

/** How many files are published at a time. */
const atOnce = 4;

/** A refusal of the gateway, on its way out of an upload. */
export class Refused extends Error {
  readonly envelope: Envelope;
  constructor(envelope: Envelope) {
    super(envelope.message);
    this.envelope = envelope;
  }
}

/** Addresses of parts may name another host than the page's: the page speaks to its own alone. */
export const atOwnOrigin = (url: string): string => {
  const { pathname, search } = new URL(url);
  return location.origin + pathname + search;
};

/** Uploads files and publishes each under its key. Bytes that the project holds are not sent again. */
export function useUpload(project: string) {
  const client = useClient();
  const [state, setState] = useState<UploadState>();
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);

  const planning: ContentPlanning = {
    async plan({ content }) {
      const sent = await sendChange(client, PlanUploadDocument, {
        input: { project, content: content.map((one) => ({ ...one })), idempotencyKey: crypto.randomUUID() },
      });
      const plan = sent.data?.planContent;
      if (!tookPlace(sent) || plan == null) throw new Refused(envelopeOf(sent.error));
      return {
        planId: plan.planId,
        missing: plan.missing.map(({ sha256, uploadId, parts }) => ({
          sha256,
          uploadId,
          parts: parts.map(({ number, url, start, end, arrived }) => ({
            partNumber: number,
            url: atOwnOrigin(url),
            byteStart: start,
            byteEnd: end,
            arrived,
          })),
        })),
      };
    },
    async commit({ plan }) {
      const sent = await sendChange(client, CommitUploadDocument, {
        input: { project, plan, idempotencyKey: crypto.randomUUID() },
      });
      if (!tookPlace(sent)) throw new Refused(envelopeOf(sent.error));
    },
  };

  const start = async (files: readonly ChosenFile[], as: UploadedAs) => {
    if (stopping.current !== undefined) return undefined;
    const stop = new AbortController();
    stopping.current = stop;
    const release = holdPage();
    let seen: UploadState = {
      progress: { total: 0, hashed: 0, missing: 0, sent: 0 },
      published: 0,
      refused: [],
      isOver: false,
    };
    const show = (more: Partial<UploadState>) => {
      seen = { ...seen, ...more };
      setState(seen);
    };
    show({});
    try {
      const held = await uploadThrough(
        planning,
        connect({ baseUrl: location.origin }),
        { content: files.map(({ file }) => file), onProgress: (progress) => show({ progress }) },
        { signal: stop.signal },
      );
      const coming = files.map((one, at) => ({ ...one, ...held[at]! }));
      const publish = async () => {
        for (let one = coming.shift(); one !== undefined && !stop.signal.aborted; one = coming.shift()) {
          const { key, sha256, size, file } = one;
          const contentType = file.type === '' ? {} : { contentType: file.type };
          const sent = await sendChange(client, PutAssetDocument, {
            input: {
              project,
              key,
              sha256,
              sizeBytes: size,
              ...contentType,
              ...as,
              idempotencyKey: crypto.randomUUID(),
            },
          });
          if (tookPlace(sent)) show({ published: seen.published + 1 });
          else show({ refused: [...seen.refused, { key, error: envelopeOf(sent.error) }] });
        }
      };
      await Promise.all(Array.from({ length: atOnce }, publish));
    } catch (error) {
      if (!stop.signal.aborted) show({ error: asEnvelope(error) });
    }
    release();
    stopping.current = undefined;
    show({ isOver: true });
    if (seen.published > 0) somethingChanged();
    return seen;
  };

  return {
    state,
    start,
    stop: () => stopping.current?.abort(),
    /** Shows the files again, to be sent anew. */
    reset: () => setState(undefined),
  };
}

/** Why an upload broke off. */
export const asEnvelope = (error: unknown): Envelope => {
  if (error instanceof Refused) return error.envelope;
  const { code = 'NO_ANSWER', message = 'The upload failed.' } = (error ?? {}) as Partial<
    Record<'code' | 'message', string>
  >;
  return refusal(code, message);
};
