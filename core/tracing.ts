import { randomFillSync } from 'node:crypto';
import {
  type Attributes,
  context,
  INVALID_SPAN_CONTEXT,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

export interface SpanOptions {
  readonly attributes?: Attributes;
  /** Headers of the request that is served: a `traceparent` in them is continued. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Runs `work` inside a span, which costs next to nothing when traces are off. A failure is marked by its code or type
 * only: messages may hold what does not belong into a trace.
 */
export function traced<Result>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  return isRecording() ? inSpan(name, options, work) : work(noSpan);
}

const noSpan = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);

/** Whether there is anything to record with. */
export function isRecording(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('svc-gateway') !== undefined;
}

async function inSpan<Result>(
  name: string,
  { attributes = {}, headers }: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const parent = headers === undefined ? context.active() : propagation.extract(context.active(), headers);
  const kind = headers === undefined ? SpanKind.INTERNAL : SpanKind.SERVER;
  return trace.getTracer('svc-gateway').startActiveSpan(name, { attributes, kind }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      const { code, name: type } = error as { code?: unknown; name?: unknown };
      span.setAttribute('error.type', String(typeof code === 'string' ? code : (type ?? typeof error)));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Id of the trace that is being recorded, 32 hexadecimal digits; undefined when none is. */
export function activeTraceId(): string | undefined {
  const spanContext = trace.getActiveSpan()?.spanContext();
  return spanContext !== undefined && trace.isSpanContextValid(spanContext) ? spanContext.traceId : undefined;
}

/** The trace id a caller is shown, `trc_` and 32 hexadecimal digits: that of the recorded trace, if there is one. */
export const newTraceId = (): string => `trc_${activeTraceId() ?? randomHex()}`;

/** The id by which functions and their logs know a request, `req_…`: it has the digits of the trace id. */
export const requestIdOf = (traceId: string): string => traceId.replace(/^trc_/, 'req_');

const idBytes = 16;
/** Random bytes for many ids, fetched together. */
const random = Buffer.alloc(256 * idBytes);
let used = random.length;

function randomHex(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += idBytes;
  return random.toString('hex', used - idBytes, used);
}
