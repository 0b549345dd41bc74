import { environment } from './context.ts';
import { FunctionError } from './errors.ts';
import { ask, asService } from './gateway.ts';

/** An event of the project, as it was kept. */
export interface EmittedEvent {
  readonly event_id: string;
  readonly event_type: string;
}

/** Events of the project. */
export const events = {
  /** @param type in small letters, digits and `_` @param payload 8 KiB at most */
  emit(
    type: string,
    payload: Readonly<Record<string, unknown>> = {},
    { idempotencyKey }: { readonly idempotencyKey?: string } = {},
  ): Promise<EmittedEvent> {
    return ask({
      method: 'POST',
      path: `/projects/v1/${environment('SVC_PROJECT_ID')}/events`,
      json: { event_type: type, payload, ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }) },
    });
  },
} as const;

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  /** @default what the HTML says */
  readonly text?: string;
  /** The mailbox that sends, by its id or slug. @default the one that the project sends by */
  readonly mailbox?: string;
  /** The mail that it answers. */
  readonly inReplyTo?: string;
  /** A request that is sent again under it sends no second mail. */
  readonly idempotencyKey?: string;
}

export interface SentMail {
  readonly message_id: string;
  readonly status: string;
}

interface Mailboxes {
  readonly mailboxes: readonly { readonly mailbox_id: string; readonly slug: string }[];
  readonly mailbox_settings: { readonly default_outbound_mailbox_id: string | null };
}

/** Mail of the project's mailboxes. */
export const email = {
  /** @throws FunctionError DEFAULT_MAILBOX_REQUIRED, MAILBOX_NOT_FOUND, and what the gateway refuses */
  async send({ mailbox, inReplyTo, idempotencyKey, ...mail }: Mail): Promise<SentMail> {
    const { mailboxes, mailbox_settings: settings } = await ask<Mailboxes>({ path: '/mailboxes/v1' });
    const wanted = mailbox ?? settings.default_outbound_mailbox_id;
    if (wanted === null) throw new FunctionError('DEFAULT_MAILBOX_REQUIRED', 'The project has no mailbox that sends.');
    const found = mailboxes.find(({ mailbox_id: id, slug }) => id === wanted || slug === wanted);
    if (found === undefined)
      throw new FunctionError('MAILBOX_NOT_FOUND', `The project has no mailbox ${wanted}.`, { status: 404 });
    return ask({
      method: 'POST',
      path: `/mailboxes/v1/${found.mailbox_id}/messages`,
      headers: {
        ...asService(),
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      json: { ...mail, ...(inReplyTo === undefined ? {} : { in_reply_to: inReplyTo }) },
    });
  },
} as const;

export interface AssetOptions {
  /** @default 'application/octet-stream' */
  readonly contentType?: string;
  /** @default 'public' */
  readonly visibility?: 'public' | 'private';
  /** Whether its address has its digest, so that it may be kept for ever. @default true */
  readonly immutable?: boolean;
  readonly metadata?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

/** A file that the project serves. */
export interface AssetRef {
  readonly key: string;
  readonly sha256: string;
  readonly size_bytes: number;
  readonly content_type: string;
  readonly url: string | null;
}

export interface AssetList {
  readonly blobs: readonly Readonly<Record<string, unknown>>[];
  readonly next_cursor: string | null;
}

/** Files of the project. */
export const assets = {
  put(key: string, source: string | Uint8Array<ArrayBuffer>, options: AssetOptions = {}): Promise<AssetRef> {
    const { contentType = 'application/octet-stream', visibility = 'public', immutable = true, metadata } = options;
    return ask({
      method: 'POST',
      path: '/apply/v1/service-asset-put',
      headers: {
        ...asService(),
        'content-type': contentType,
        'x-svc-asset-key': key,
        'x-svc-asset-visibility': visibility,
        'x-svc-asset-immutable': String(immutable),
        ...(metadata === undefined
          ? {}
          : { 'x-svc-asset-metadata': Buffer.from(JSON.stringify(metadata)).toString('base64url') }),
      },
      bytes: source,
    });
  },

  /** @param wanted.limit @default as many as the gateway shows */
  list(
    wanted: { readonly prefix?: string; readonly limit?: number; readonly cursor?: string } = {},
  ): Promise<AssetList> {
    const query = new URLSearchParams(
      Object.entries(wanted).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return ask({ path: '/storage/v1/blobs', query });
  },
} as const;
