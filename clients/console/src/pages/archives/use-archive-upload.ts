import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import { connect } from '../../../../sdk/src/connection.ts';
import { type ContentPlanning, type UploadProgress, uploadThrough } from '../../../../sdk/src/upload-content.ts';
import { type Envelope, envelopeOf } from '../../graph/envelope.ts';
import { sendChange, tookPlace } from '../../graph/send-change.ts';
import { holdPage } from '../../hold-page.ts';
import { asEnvelope, atOwnOrigin, Refused } from '../storage/use-upload.ts';
import { CommitArchiveDocument, PlanArchiveDocument } from './archives.graphql.ts';

/** Sends an archive to the gateway, which keeps it for a day. What has come before is not sent again. */
export function useArchiveUpload(org: string) {
  const client = useClient();
  const [progress, setProgress] = useState<UploadProgress>();
  const [error, setError] = useState<Envelope>();
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);

  /** Archives that the organization holds already. */
  const held = new Set<string>();
  const planning: ContentPlanning = {
    async plan({ content }) {
      const [{ sha256, size }] = content as readonly [{ readonly sha256: string; readonly size: number }];
      const sent = await sendChange(client, PlanArchiveDocument, {
        input: { org, sha256, size, idempotencyKey: crypto.randomUUID() },
      });
      const plan = sent.data?.planArchiveUpload;
      if (!tookPlace(sent) || plan == null) throw new Refused(envelopeOf(sent.error));
      if (plan.isHeld) held.add(sha256);
      const parts = plan.parts.map(({ number, url, start, end, arrived }) => ({
        partNumber: number,
        url: atOwnOrigin(url),
        byteStart: start,
        byteEnd: end,
        arrived,
      }));
      return { planId: sha256, missing: plan.isHeld ? [] : [{ sha256, uploadId: sha256, parts }] };
    },
    async commit({ plan: sha256 }) {
      if (held.has(sha256)) return;
      const sent = await sendChange(client, CommitArchiveDocument, {
        input: { org, sha256, idempotencyKey: crypto.randomUUID() },
      });
      if (!tookPlace(sent)) throw new Refused(envelopeOf(sent.error));
    },
  };

  /** @returns its SHA-256; undefined where it did not arrive */
  const send = async (file: File): Promise<string | undefined> => {
    if (stopping.current !== undefined) return undefined;
    const stop = new AbortController();
    stopping.current = stop;
    const release = holdPage();
    setError(undefined);
    try {
      const [arrived] = await uploadThrough(
        planning,
        connect({ baseUrl: location.origin }),
        { content: [file], onProgress: setProgress },
        { signal: stop.signal },
      );
      return arrived!.sha256;
    } catch (broken) {
      if (!stop.signal.aborted) setError(asEnvelope(broken));
      return undefined;
    } finally {
      release();
      stopping.current = undefined;
      setProgress(undefined);
    }
  };
  return { send, progress, error };
}
