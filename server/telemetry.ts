import {
  type Attributes,
  context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

export interface TelemetryOptions {
  /** Base URL of an OTLP collector; undefined: nothing is loaded and nothing is recorded. */
  readonly endpoint: string | undefined;
  readonly log: { readonly warn: (facts: Record<string, unknown>, message: string) => void };
  /** Version of the gateway, shown with each trace. */
  readonly version: string;
}

export interface Telemetry {
  readonly enabled: boolean;
  /** Sends what is left, for two seconds at most. Spans that start afterwards are not recorded. */
  readonly stop: () => Promise<void>;
}

const stopMs = 2_000;

/** Starts recording traces. The SDK is loaded only when there is somewhere to send them. */
export async function startTelemetry({ endpoint, log, version }: TelemetryOptions): Promise<Telemetry> {
  if (endpoint === undefined) return { enabled: false, stop: async () => {} };
  const [
    { W3CTraceContextPropagator },
    { AsyncLocalStorageContextManager },
    { resourceFromAttributes },
    sdk,
    exporters,
  ] = await Promise.all([
    import('@opentelemetry/core'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  // The SDK reports what it cannot send here and nowhere else. Its words may hold the collector's answer, ours do not.
  const warn = () => log.warn({}, 'Traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT.');
  diag.setLogger(
    { error: warn, warn: () => {}, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
  const exporter = new exporters.OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: 5_000 });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'svc-gateway', 'service.version': version }),
    // A caller that is traced decides for its requests; all others are recorded.
    sampler: new sdk.ParentBasedSampler({ root: new sdk.AlwaysOnSampler() }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  const contexts = new AsyncLocalStorageContextManager();
  context.setGlobalContextManager(contexts.enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    enabled: true,
    stop: async () => {
      trace.disable();
      propagation.disable();
      context.disable();
      let timer: NodeJS.Timeout | undefined;
      const enough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, stopMs);
      });
      await Promise.race([provider.shutdown().catch(warn), enough]);
      clearTimeout(timer);
      diag.disable();
    },
  };
}

export interface SpanOptions {
  readonly attributes?: Attributes;
  /** Headers of the request that is served: a `traceparent` in them is continued. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Runs `work` inside a span, which costs next to nothing when traces are off. A failure is marked by its code or type
 * only: messages may hold what does not belong into a trace.
 */
export async function traced<Result>(
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
  const active = trace.getActiveSpan()?.spanContext();
  return active !== undefined && isSpanContextValid(active) ? active.traceId : undefined;
}
