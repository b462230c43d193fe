import { utcText } from "../time/utc-time.ts";
import type { ReportAmounts } from "./amounts.ts";
import { csvLine } from "./csv.ts";
import { OWNER_LABELS } from "./owned-spend.ts";
import type { SpendReport } from "./report.ts";

/**
 * The report as rows of FOCUS 1.2 (FinOps Open Cost and Usage Specification), one for each line and one for
 * the rest. Credits are the pricing currency, a virtual one; costs are in the currency of `credit_value`.
 * Columns that begin with `x_` are ours. `provider`: the name of the gateway.
 */
export function focusReport(report: SpendReport, provider: string): string {
  const row = (name: string | undefined, amounts: ReportAmounts) => rowOf(name, amounts, report, provider);
  const rows = [
    ...report.lines.map(({ name, ...amounts }) => row(name, amounts)),
    ...(report.rest ? [row(undefined, report.rest)] : []),
  ];
  const columns = Object.keys(row(undefined, report.total));
  return [columns, ...rows.map((cells) => Object.values(cells))].map(csvLine).join("");
}

/** The columns in their order; an unknown value is empty. `name`: undefined for what belongs to no line. */
function rowOf(name: string | undefined, amounts: ReportAmounts, report: SpendReport, provider: string) {
  const { by, period, currency = "" } = report;
  const { credits, byokCredits, requests, tokens, cost } = amounts;
  const what = by.replace("_", " ");
  const [start, end] = [utcText(period.window.startMs), utcText(period.window.endMs)];
  const named = name === "" ? undefined : name;
  const isOwner = OWNER_LABELS.some((label) => label === by);
  const [account, resource] = isOwner ? [named, undefined] : [undefined, named];
  return {
    BilledCost: cost,
    BillingAccountId: provider,
    BillingAccountName: provider,
    BillingAccountType: "Account",
    BillingCurrency: currency,
    BillingPeriodEnd: end,
    BillingPeriodStart: start,
    ChargeCategory: "Usage",
    ChargeClass: undefined,
    ChargeDescription: name === undefined ? `Credits without a ${what}` : `Credits of ${what} "${name}"`,
    ChargeFrequency: "Usage-Based",
    ChargePeriodEnd: end,
    ChargePeriodStart: start,
    ConsumedQuantity: requests,
    ConsumedUnit: "Requests",
    ContractedCost: cost,
    ContractedUnitPrice: undefined,
    EffectiveCost: cost,
    InvoiceId: undefined,
    InvoiceIssuerName: provider,
    ListCost: cost,
    ListUnitPrice: undefined,
    PricingCategory: "Standard",
    PricingCurrency: "Credits",
    PricingCurrencyContractedUnitPrice: 1,
    PricingCurrencyEffectiveCost: credits,
    PricingCurrencyListUnitPrice: 1,
    PricingQuantity: credits,
    PricingUnit: "Credits",
    ProviderName: provider,
    PublisherName: provider,
    RegionId: undefined,
    RegionName: undefined,
    ResourceId: resource,
    ResourceName: resource,
    ResourceType: resource && what,
    ServiceCategory: "AI and Machine Learning",
    ServiceName: "AI gateway",
    ServiceSubcategory: "Generative AI",
    SkuId: undefined,
    SkuPriceId: undefined,
    SubAccountId: account,
    SubAccountName: account,
    SubAccountType: account && what,
    Tags: JSON.stringify(named === undefined ? {} : { [by]: named }),
    x_ByokCredits: byokCredits,
    x_Tokens: tokens,
  };
}
