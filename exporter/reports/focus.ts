import { utcText } from "../time/utc-time.ts";
import type { ReportAmounts } from "./amounts.ts";
import { csvLine } from "./csv.ts";
import { isOwnerLabel } from "./divided-spend.ts";
import type { PricedWindow, SpendReport } from "./report.ts";

/** Who appears in the rows. */
export interface FocusParties {
  /** The host of the gateway, which identifies the account. */
  readonly account: string;
  readonly provider: string;
  readonly publisher: string;
  readonly invoiceIssuer: string;
}

/**
 * The report as rows of FOCUS 1.2 (FinOps Open Cost and Usage Specification), one for each line and one for the rest, at
 * each price that a credit had. Credits are the pricing currency, a virtual one; costs are in the currency of
 * `credit_value`. Columns that begin with `x_` are ours.
 */
export function focusReport(report: SpendReport, parties: FocusParties): string {
  const rows = report.parts.flatMap(({ lines, rest, ...priced }) => [
    ...lines.map(({ names, ...amounts }) => rowOf(names, amounts, priced, report, parties)),
    ...(rest ? [rowOf(undefined, rest, priced, report, parties)] : []),
  ]);
  const columns = Object.keys(
    rowOf(undefined, report.total, { ...report.period, price: 0 }, report, parties),
  );
  return [columns, ...rows.map((cells) => Object.values(cells))].map((cells) => csvLine(cells)).join("");
}

/** The columns in their order; an unknown value is empty. `names`: undefined for what belongs to no line. */
function rowOf(
  names: readonly string[] | undefined,
  { credits, byokCredits, requests, tokens, cost }: ReportAmounts,
  { window, price }: PricedWindow,
  { by, period, currency = "" }: SpendReport,
  { account: billed, provider, publisher, invoiceIssuer }: FocusParties,
) {
  const named = by.flatMap((dimension, index) => {
    const name = names?.[index] ?? "";
    return name === "" ? [] : [{ dimension, what: dimension.replace("_", " "), name }];
  });
  const account = named.find(({ dimension }) => isOwnerLabel(dimension));
  const resource = named.find(({ dimension }) => !isOwnerLabel(dimension));
  const whats = by.map((one) => one.replace("_", " ")).join(" and ");
  return {
    BilledCost: cost,
    BillingAccountId: billed,
    BillingAccountName: billed,
    BillingAccountType: "Account",
    BillingCurrency: currency,
    BillingPeriodEnd: utcText(period.window.endMs),
    BillingPeriodStart: utcText(period.window.startMs),
    ChargeCategory: "Usage",
    ChargeClass: undefined,
    ChargeDescription:
      named.length === 0
        ? `Credits without ${whats}`
        : `Credits of ${named.map(({ what, name }) => `${what} "${name}"`).join(", ")}`,
    ChargeFrequency: "Usage-Based",
    ChargePeriodEnd: utcText(window.endMs),
    ChargePeriodStart: utcText(window.startMs),
    ConsumedQuantity: requests,
    ConsumedUnit: "Requests",
    ContractedCost: cost,
    ContractedUnitPrice: price,
    EffectiveCost: cost,
    InvoiceId: undefined,
    InvoiceIssuerName: invoiceIssuer,
    ListCost: cost,
    ListUnitPrice: price,
    PricingCategory: "Standard",
    PricingCurrency: "Credits",
    PricingCurrencyContractedUnitPrice: 1,
    PricingCurrencyEffectiveCost: credits,
    PricingCurrencyListUnitPrice: 1,
    PricingQuantity: credits,
    PricingUnit: "Credits",
    ProviderName: provider,
    PublisherName: publisher,
    RegionId: undefined,
    RegionName: undefined,
    ResourceId: resource?.name,
    ResourceName: resource?.name,
    ResourceType: resource?.what,
    ServiceCategory: "AI and Machine Learning",
    ServiceName: "AI gateway",
    ServiceSubcategory: "Generative AI",
    SkuId: SKU,
    // One for each price of a credit.
    SkuPriceId: `${SKU}-${price}-${currency}`,
    SubAccountId: account?.name,
    SubAccountName: account?.name,
    SubAccountType: account?.what,
    Tags: JSON.stringify(Object.fromEntries(named.map(({ dimension, name }) => [dimension, name]))),
    x_ByokCredits: byokCredits,
    x_Tokens: tokens,
  };
}

/** The only thing that an account buys. */
const SKU = "credits";
